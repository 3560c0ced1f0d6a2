//! Windows as rectangles.

use proptest::prelude::*;

use super::*;

const AREA: Rect = Rect { x: 10, y: 1, width: 81, height: 30 };

fn areas(windows: &Windows) -> Vec<(u32, u16, u16, u16, u16)> {
    let places = windows.layout(AREA).windows;
    places.iter().map(|(id, a)| (id.0, a.x, a.y, a.width, a.height)).collect()
}

#[test]
fn splits_share_area_and_return_it_on_close() {
    let mut windows = Windows::default();
    let right = windows.split(true);
    assert_eq!(areas(&windows), [(0, 10, 1, 40, 30), (1, 51, 1, 40, 30)]);
    windows.active = right;
    let below = windows.split(false);
    assert_eq!(areas(&windows), [(0, 10, 1, 40, 30), (1, 51, 1, 40, 15), (2, 51, 16, 40, 15)]);
    assert_eq!(windows.close(below), Some(right));
    assert_eq!(windows.close(WindowId(0)), Some(right));
    assert_eq!(areas(&windows), [(1, 10, 1, 81, 30)]);
    assert_eq!(windows.close(right), None, "the last one stays");
}

#[test]
fn splits_third_takes_room_from_its_origin() {
    let mut windows = Windows::default();
    windows.split(true);
    windows.split(true);
    let widths: Vec<u16> = areas(&windows).iter().map(|(.., width, _)| *width).collect();
    assert_eq!(widths, [19, 20, 40]);
    windows.equalize();
    let widths: Vec<u16> = areas(&windows).iter().map(|(.., width, _)| *width).collect();
    assert_eq!(widths, [26, 26, 27]);
}

#[test]
fn splits_neighbor_is_found_by_direction() {
    let mut windows = Windows::default();
    let right = windows.split(true);
    windows.active = right;
    let below = windows.split(false);
    let go = |windows: &Windows, direction| windows.neighbor(AREA, direction).map(|id| id.0);
    assert_eq!(go(&windows, Direction::Left), Some(0));
    assert_eq!(go(&windows, Direction::Down), Some(below.0));
    assert_eq!((go(&windows, Direction::Up), go(&windows, Direction::Right)), (None, None));
    windows.active = WindowId(0);
    assert_eq!(go(&windows, Direction::Right), Some(right.0), "the upper one of two");
}

#[test]
fn splits_resize_keeps_minimum_size() {
    let mut windows = Windows::default();
    windows.split(true);
    windows.resize(AREA, true, 5);
    assert_eq!(areas(&windows)[0].3, 45);
    windows.resize(AREA, true, 500);
    assert_eq!(areas(&windows)[1].3, COLS_MIN);
    windows.active = WindowId(1);
    windows.resize(AREA, true, 8);
    assert_eq!(areas(&windows)[1].3, COLS_MIN + 8);
    windows.resize(AREA, false, 3);
    assert_eq!(areas(&windows)[1].4, 30, "there is no line above or below");
    let border = windows.layout(AREA).borders[0].clone();
    windows.move_border(AREA, &border, 40);
    assert_eq!(areas(&windows)[0].3, 30);
}

#[test]
fn splits_too_small_area_shows_only_active() {
    let mut windows = Windows::default();
    windows.active = windows.split(true);
    let small = Rect::new(0, 0, 20, 4);
    assert_eq!(windows.layout(small).windows, [(WindowId(1), small)]);
    assert_eq!(areas(&windows).len(), 2, "and they come back");
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]
    #[test]
    fn splits_and_borders_cover_area(steps in prop::collection::vec((0..6u8, 0..8usize), 0..24), width in 1..200u16, height in 1..60u16) {
        let mut windows = Windows::default();
        let area = Rect::new(3, 2, width, height);
        for (step, which) in steps {
            let all = windows.all();
            windows.active = all[which % all.len()];
            match step {
                0 | 1 if all.len() < WINDOWS_MAX => { windows.active = windows.split(step == 0); }
                2 => if let Some(heir) = windows.close(windows.active) { windows.active = heir; },
                3 => windows.resize(area, which % 2 == 0, which as i32 - 4),
                4 => windows.equalize(),
                _ => if let Some(next) = windows.neighbor(area, Direction::Right) { windows.active = next; },
            }
        }
        let places = windows.layout(area);
        prop_assert!(places.windows.iter().any(|(id, _)| *id == windows.active));
        let lines = places.borders.iter().filter(|border| border.is_side_by_side).map(|border| border.area);
        let rects: Vec<Rect> = places.windows.iter().map(|(_, area)| *area).chain(lines).collect();
        let cells: u32 = rects.iter().map(|r| u32::from(r.width) * u32::from(r.height)).sum();
        prop_assert_eq!(cells, u32::from(width) * u32::from(height));
        for (n, one) in rects.iter().enumerate() {
            prop_assert!(rects[n + 1..].iter().all(|other| one.intersection(*other).is_empty()));
        }
    }
}
