"use strict";
// The tree beside the page: a click shows the branch to that entry and what follows it.
(() => {
  const { leaf, nodes } = JSON.parse(document.getElementById("data").textContent);
  const list = document.getElementById("tree");
  const known = new Map(nodes.map(([id, parent, text, label]) => [id, { id, parent, text, label, children: [] }]));
  const roots = [];
  for (const node of known.values()) {
    const parent = known.get(node.parent);
    (parent && parent !== node ? parent.children : roots).push(node);
  }
  const pathTo = (id) => {
    const path = new Set();
    for (let node = known.get(id); node && !path.has(node.id); node = known.get(node.parent)) path.add(node.id);
    return path;
  };
  const newestBelow = (id) => {
    const seen = new Set();
    let node = known.get(id);
    while (node && node.children.length && !seen.has(node.id)) {
      seen.add(node.id);
      node = node.children[node.children.length - 1];
    }
    return node ? node.id : id;
  };
  const show = (end, chosen) => {
    const path = pathTo(end);
    for (const article of document.querySelectorAll("article")) article.hidden = !path.has(article.id.slice(2));
    for (const button of list.querySelectorAll("button")) {
      button.classList.toggle("active", path.has(button.dataset.id));
      if (button.dataset.id === chosen) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  };
  // Entries without a text of their own have no row; what follows them stands where they would.
  const stack = roots.map((node) => [node, 0]).reverse();
  while (stack.length) {
    const [node, depth] = stack.pop();
    if (node.text) {
      const row = document.createElement("li");
      const button = document.createElement("button");
      button.dataset.id = node.id;
      button.style.paddingLeft = `${depth * 12 + 4}px`;
      if (node.label) {
        const label = document.createElement("span");
        label.className = "label";
        label.textContent = node.label;
        button.append(label);
      }
      button.append(node.text);
      button.addEventListener("click", () => {
        show(newestBelow(node.id), node.id);
        document.getElementById(`e-${node.id}`)?.scrollIntoView();
      });
      row.append(button);
      list.append(row);
    }
    const deeper = node.children.length > 1 ? depth + 1 : depth;
    for (const child of [...node.children].reverse()) stack.push([child, deeper]);
  }
  show(leaf, null);
})();
