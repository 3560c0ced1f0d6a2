//! What a server can be asked for, under the names that rows use. Must not know methods of the protocol.

/// Something that a server can do, which a row can switch off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// Formatting of a file or a selection.
    Format,
    /// The declaration of a name.
    GotoDeclaration,
    /// The definition of a name.
    GotoDefinition,
    /// The type of a name.
    GotoTypeDefinition,
    /// Where a name is used.
    GotoReference,
    /// Implementations of a name.
    GotoImplementation,
    /// The signature of the call that is typed.
    SignatureHelp,
    /// Documentation of a name.
    Hover,
    /// The same name in the visible text.
    DocumentHighlight,
    /// Completion.
    Completion,
    /// Quick fixes and refactorings.
    CodeAction,
    /// Commands of the server.
    WorkspaceCommand,
    /// The outline of a file.
    DocumentSymbols,
    /// Symbols of all files.
    WorkspaceSymbols,
    /// Diagnostics that the server sends by itself.
    Diagnostics,
    /// Diagnostics that it is asked for.
    PullDiagnostics,
    /// Renaming a name in all files.
    RenameSymbol,
    /// Hints within lines.
    InlayHints,
    /// Colors as swatches.
    DocumentColors,
    /// Links.
    DocumentLinks,
    /// Callers and callees.
    CallHierarchy,
    /// Colors of names.
    SemanticTokens,
    /// Actions above lines.
    CodeLens,
    /// Folding ranges.
    Folding,
    /// Larger and smaller selections.
    SelectionRange,
    /// Ranges that are edited together.
    LinkedEditing,
    /// Supertypes and subtypes.
    TypeHierarchy,
    /// Formatting of what was typed.
    OnTypeFormat,
}

impl Feature {
    /// All of them.
    pub const ALL: [Self; 28] = [
        Self::Format,
        Self::GotoDeclaration,
        Self::GotoDefinition,
        Self::GotoTypeDefinition,
        Self::GotoReference,
        Self::GotoImplementation,
        Self::SignatureHelp,
        Self::Hover,
        Self::DocumentHighlight,
        Self::Completion,
        Self::CodeAction,
        Self::WorkspaceCommand,
        Self::DocumentSymbols,
        Self::WorkspaceSymbols,
        Self::Diagnostics,
        Self::PullDiagnostics,
        Self::RenameSymbol,
        Self::InlayHints,
        Self::DocumentColors,
        Self::DocumentLinks,
        Self::CallHierarchy,
        Self::SemanticTokens,
        Self::CodeLens,
        Self::Folding,
        Self::SelectionRange,
        Self::LinkedEditing,
        Self::TypeHierarchy,
        Self::OnTypeFormat,
    ];

    /// Its name in rows. The first 21 are those of Helix.
    pub fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::GotoDeclaration => "goto-declaration",
            Self::GotoDefinition => "goto-definition",
            Self::GotoTypeDefinition => "goto-type-definition",
            Self::GotoReference => "goto-reference",
            Self::GotoImplementation => "goto-implementation",
            Self::SignatureHelp => "signature-help",
            Self::Hover => "hover",
            Self::DocumentHighlight => "document-highlight",
            Self::Completion => "completion",
            Self::CodeAction => "code-action",
            Self::WorkspaceCommand => "workspace-command",
            Self::DocumentSymbols => "document-symbols",
            Self::WorkspaceSymbols => "workspace-symbols",
            Self::Diagnostics => "diagnostics",
            Self::PullDiagnostics => "pull-diagnostics",
            Self::RenameSymbol => "rename-symbol",
            Self::InlayHints => "inlay-hints",
            Self::DocumentColors => "document-colors",
            Self::DocumentLinks => "document-links",
            Self::CallHierarchy => "call-hierarchy",
            Self::SemanticTokens => "semantic-tokens",
            Self::CodeLens => "code-lens",
            Self::Folding => "folding",
            Self::SelectionRange => "selection-range",
            Self::LinkedEditing => "linked-editing",
            Self::TypeHierarchy => "type-hierarchy",
            Self::OnTypeFormat => "on-type-format",
        }
    }

    /// Returns the feature with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|feature| feature.name() == name)
    }

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// A set of features.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Features(u32);

impl Features {
    /// No feature.
    pub const NONE: Self = Self(0);
    /// Every feature.
    pub const ALL: Self = Self((1 << Feature::ALL.len()) - 1);
    /// What a linter is asked for: a second opinion on a text, not where its names are.
    pub const OF_LINTER: Self = Self(
        Feature::Diagnostics.bit()
            | Feature::PullDiagnostics.bit()
            | Feature::CodeAction.bit()
            | Feature::WorkspaceCommand.bit()
            | Feature::Format.bit()
            | Feature::Hover.bit(),
    );

    /// Whether the feature is in the set.
    pub fn contains(self, feature: Feature) -> bool {
        self.0 & feature.bit() != 0
    }

    /// The features of both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The features that are not in the other set.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The features in order.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.into_iter().filter(move |feature| self.contains(*feature))
    }
}

impl FromIterator<Feature> for Features {
    fn from_iter<T: IntoIterator<Item = Feature>>(features: T) -> Self {
        Self(features.into_iter().fold(0, |bits, feature| bits | feature.bit()))
    }
}

impl std::fmt::Debug for Features {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter().map(Feature::name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_have_unique_names_and_bits() {
        let names: std::collections::BTreeSet<_> = Feature::ALL.into_iter().map(Feature::name).collect();
        assert_eq!(names.len(), Feature::ALL.len());
        for feature in Feature::ALL {
            assert_eq!(Feature::from_name(feature.name()), Some(feature));
        }
        assert_eq!(Feature::ALL.into_iter().collect::<Features>(), Features::ALL);
        assert_eq!(Feature::from_name("telepathy"), None);
    }

    #[test]
    fn features_combine_as_sets() {
        let some: Features = [Feature::Hover, Feature::Format].into_iter().collect();
        assert!(some.contains(Feature::Hover) && !some.contains(Feature::Completion));
        assert_eq!(
            Features::ALL.without(some).and(some).iter().next(),
            None,
            "nothing is in a set and outside of it"
        );
        assert_eq!(format!("{some:?}"), r#"{"format", "hover"}"#);
    }
}
