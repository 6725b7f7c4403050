//! The exponential function, lane by lane.
//!
//! The one of the system is called once a lane, and differs in the last bit from machine to machine;
//! this one is a few vector instructions, and the same everywhere.

/// Below this the result is zero. (`f64` has normal numbers down to exp(-708).)
const LOWEST: f64 = -700.0;

/// Adding it rounds to a whole number, which then stands in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52

/// ln 2 in two parts; multiples of the first have no rounding error.
const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// 1 / n! for n from 11 down to 0: the series of the exponential function. On half of ln 2 to either
/// side it stops 6e-15 short of the truth.
const SERIES: [f64; 12] = [
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
];

/// The exponential of a number not above zero (and not NaN), to a few units in 1e-15.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    let clamped = if x < LOWEST { LOWEST } else { x };
    let rounded = clamped * std::f64::consts::LOG2_E + ROUND;
    let whole = rounded - ROUND;
    let rest = (clamped - whole * LN2_HIGH) - whole * LN2_LOW;
    let mut sum = SERIES[0];
    for factor in &SERIES[1..] {
        sum = sum * rest + factor;
    }
    let power = f64::from_bits(rounded.to_bits().wrapping_add(1023) << 52);
    if x < LOWEST { 0.0 } else { sum * power }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_systems_within_a_few_units() {
        for step in 0..=700_000 {
            let x = f64::from(step) * -0.001;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-14, "{x}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-701.0), 0.0);
        assert_eq!(exp(-1e30), 0.0);
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
    }
}
