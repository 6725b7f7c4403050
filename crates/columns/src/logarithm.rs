//! The natural logarithm, lane by lane.
//!
//! The one of the system is called once a lane, and differs in the last bit from machine to machine; this one is a few
//! vector instructions, and the same everywhere.

/// The bits of the square root of a half: numbers from there to its double are taken as they are.
const ROOT_OF_HALF: u32 = std::f32::consts::FRAC_1_SQRT_2.to_bits();

/// The bits of the fraction of a number.
const FRACTION: u32 = f32::MANTISSA_DIGITS - 1;

/// 2 / n for odd n from 13 down to 1: ln m = 2 (s + s^3 / 3 + s^5 / 5 + ...) with s = (m - 1) / (m + 1). Between the square
/// roots of a half and of two it stops 3e-13 short of the truth.
const SERIES: [f64; 7] = [
    2.0 / 13.0,
    2.0 / 11.0,
    2.0 / 9.0,
    2.0 / 7.0,
    2.0 / 5.0,
    2.0 / 3.0,
    2.0,
];

/// The logarithm of a positive number that is neither infinite nor subnormal, rounded to single precision.
#[inline(always)]
pub fn logarithm(number: f32) -> f32 {
    let bits = number.to_bits();
    let power = bits.wrapping_sub(ROOT_OF_HALF).cast_signed() >> FRACTION;
    let rest = f64::from(f32::from_bits(
        bits.wrapping_sub((power << FRACTION).cast_unsigned()),
    ));
    let s = (rest - 1.0) / (rest + 1.0);
    let square = s * s;
    let mut sum = SERIES[0];
    for factor in &SERIES[1..] {
        sum = sum * square + factor;
    }
    (sum * s + f64::from(power) * std::f64::consts::LN_2) as f32
}

/// The same series for odd n from 21 down to 1, which stops 1e-17 short of the truth.
const LONG_SERIES: [f64; 11] = [
    2.0 / 21.0,
    2.0 / 19.0,
    2.0 / 17.0,
    2.0 / 15.0,
    2.0 / 13.0,
    2.0 / 11.0,
    2.0 / 9.0,
    2.0 / 7.0,
    2.0 / 5.0,
    2.0 / 3.0,
    2.0,
];

/// The logarithm of a positive number that is neither infinite nor subnormal, to a few units in 1e-16.
pub fn ln(number: f64) -> f64 {
    const FRACTION: u32 = f64::MANTISSA_DIGITS - 1;
    let bits = number.to_bits();
    let root = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    let power = bits.wrapping_sub(root).cast_signed() >> FRACTION;
    let rest = f64::from_bits(bits.wrapping_sub((power << FRACTION).cast_unsigned()));
    let s = (rest - 1.0) / (rest + 1.0);
    let sum = LONG_SERIES[1..]
        .iter()
        .fold(LONG_SERIES[0], |sum, factor| sum * (s * s) + factor);
    sum * s + power as f64 * std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn of_one_it_is_zero_and_of_the_ends_it_is_right() {
        assert_eq!(logarithm(1.0).to_bits(), 0);
        let root = std::f32::consts::SQRT_2;
        for number in [f32::MIN_POSITIVE, f32::MAX, 1e-9, 0.5, root / 2.0, root, 2.0] {
            assert_eq!(logarithm(number), f64::from(number).ln() as f32, "{number}");
        }
    }

    proptest! {
        #[test]
        fn in_double_precision_it_is_the_systems_within_a_few_units(number in f64::MIN_POSITIVE..f64::MAX, near in 0.5f64..2.0) {
            for number in [number, near] {
                prop_assert!((ln(number) - number.ln()).abs() <= 1e-15 * number.ln().abs().max(0.1), "{number}");
            }
        }

        #[test]
        fn it_is_the_systems_in_double_precision_rounded(bits in f32::MIN_POSITIVE.to_bits()..=f32::MAX.to_bits()) {
            let number = f32::from_bits(bits);
            let expected = f64::from(number).ln();
            // Half a unit in the last place of single precision, and what rounding in double adds.
            let unit = f64::from(f32::EPSILON) / 2.0 * expected.abs();
            prop_assert!((f64::from(logarithm(number)) - expected).abs() <= unit * 1.0001, "{number}");
        }
    }
}
