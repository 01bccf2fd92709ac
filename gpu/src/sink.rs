//! Where the answers of a batch go.

/// Where the answers of a batch through [`Staging`](crate::Staging) go, in the order of its elements.
///
/// - A slice, an array: overwritten. Its length is that of the keys, or the call is refused.
/// - A `Vec`: extended.
/// - A closure: called with each answer. Its argument needs a type, as in `|found: bool| ...`.
///
/// Answers come part by part, each when the device has done it, and the device goes on with the parts behind meanwhile. There is
/// no iterator over the answers of a batch that runs when it is asked: a batch whose iterator is dropped would be done in part. So
/// a call runs the whole batch, whatever its sink does.
pub trait Sink<T> {
    /// How many answers it takes, if that is fixed.
    fn room(&self) -> Option<usize>;

    /// Takes answers: that number `first` and those behind it.
    fn take(&mut self, first: usize, answers: impl Iterator<Item = T>);
}

impl<T> Sink<T> for &mut [T] {
    fn room(&self) -> Option<usize> {
        Some(self.len())
    }

    fn take(&mut self, first: usize, answers: impl Iterator<Item = T>) {
        let places = self.iter_mut().skip(first);
        places.zip(answers).for_each(|(place, answer)| *place = answer);
    }
}

impl<T, const N: usize> Sink<T> for &mut [T; N] {
    fn room(&self) -> Option<usize> {
        Some(N)
    }

    fn take(&mut self, first: usize, answers: impl Iterator<Item = T>) {
        (&mut self[..]).take(first, answers);
    }
}

impl<T> Sink<T> for &mut Vec<T> {
    fn room(&self) -> Option<usize> {
        None
    }

    fn take(&mut self, _: usize, answers: impl Iterator<Item = T>) {
        self.extend(answers);
    }
}

impl<T, F: FnMut(T)> Sink<T> for F {
    fn room(&self) -> Option<usize> {
        None
    }

    fn take(&mut self, _: usize, answers: impl Iterator<Item = T>) {
        answers.for_each(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives the numbers from 0 to 4 in two parts.
    fn count(mut sink: impl Sink<u32>) -> Option<usize> {
        let room = sink.room();
        sink.take(0, 0..2);
        sink.take(2, 2..5);
        room
    }

    #[test]
    fn answers_go_where_they_belong() {
        let (mut array, mut slice, mut vec, mut sum) = ([9; 5], [9; 6], vec![9], 0);
        assert_eq!(count(&mut array), Some(5));
        assert_eq!(count(&mut slice[..5]), Some(5));
        assert_eq!(count(&mut vec), None);
        assert_eq!(count(|number: u32| sum += number), None);
        assert_eq!((array, slice), ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 9]));
        assert_eq!((vec, sum), (vec![9, 0, 1, 2, 3, 4], 10));
    }
}
