//! Points and transformations as PDF has them: `x' = a x + c y + e`, `y' = b x + d y + f`.
//!
//! Pure.

use std::ops::Mul;

/// `[a b c d e f]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matrix(pub [f64; 6]);

impl Matrix {
    /// The identity.
    pub const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// Returns a translation.
    pub fn shift(x: f64, y: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// Transforms a point.
    pub fn point(self, x: f64, y: f64) -> (f64, f64) {
        let by = self.vector(x, y);
        (by.0 + self.0[4], by.1 + self.0[5])
    }

    /// Transforms a vector.
    pub fn vector(self, x: f64, y: f64) -> (f64, f64) {
        (self.0[0] * x + self.0[2] * y, self.0[1] * x + self.0[3] * y)
    }

    /// Returns the scale of lengths: the square root of the unit square's area.
    pub fn scale(self) -> f64 {
        let [a, b, c, d, ..] = self.0;
        (a * d - b * c).abs().sqrt()
    }
}

impl Mul for Matrix {
    type Output = Self;

    /// Returns the product: first this one, then the other, as PDF writes it.
    fn mul(self, then: Self) -> Self {
        let right = then.vector(self.0[0], self.0[1]);
        let up = then.vector(self.0[2], self.0[3]);
        let at = then.point(self.0[4], self.0[5]);
        Self([right.0, right.1, up.0, up.1, at.0, at.1])
    }
}
