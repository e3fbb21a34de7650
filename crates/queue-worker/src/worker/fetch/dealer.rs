/// Deals slots to queues in proportion to their weights, by start-time fair queueing (Goyal, Vin and Cheng 1996):
/// each job moves the tag of its queue on by one over the weight, and the queue with the lowest tag is next. A queue that
/// comes back after a rest joins at the present, so it neither lost its turn nor saved up any.
///
/// Deterministic, and without I/O. Any two queues that both had due jobs all the time have got jobs in proportion, up to
/// one job each.
#[derive(Debug)]
pub(super) struct Dealer {
    queues: Vec<Share>,
    /// The tag of the job that was dealt last.
    present: u128,
}

#[derive(Clone, Debug)]
struct Share {
    /// What one job costs.
    step: u128,
    /// The tag of its next job.
    tag: u128,
    /// It could have had a job at the last deal.
    was_open: bool,
}

/// What one job of weight one costs; large, so that dividing it by a weight is fine enough.
const UNIT: u128 = 1 << 40;

impl Dealer {
    pub(super) fn new(weights: impl Iterator<Item = u32>) -> Self {
        let share = |weight| Share { step: UNIT / u128::from(weight), tag: 0, was_open: false };
        Self { queues: weights.map(share).collect(), present: 0 }
    }

    /// Which queue each slot is for, in the order in which their jobs are to start. `rooms` says for how many jobs each
    /// queue has room: none for a queue that is not to be asked.
    pub(super) fn deal(&mut self, slots: usize, rooms: &[usize]) -> Vec<usize> {
        self.open(rooms);
        let open: Vec<usize> = (0..rooms.len()).filter(|&queue| rooms[queue] > 0).collect();
        if let [only] = open[..] {
            // Thousands of slots may be free for a single job, and nobody else wants them.
            return vec![only; slots.min(rooms[only])];
        }
        let (mut rooms, mut tags) = (rooms.to_vec(), self.tags());
        let mut dealt = Vec::new();
        for _ in 0..slots {
            let open = (0..rooms.len()).filter(|&queue| rooms[queue] > 0);
            let Some(next) = open.min_by_key(|&queue| tags[queue]) else { break };
            tags[next] += self.queues[next].step;
            rooms[next] -= 1;
            dealt.push(next);
        }
        dealt
    }

    /// A queue got a job. What was dealt and not to be had costs nothing.
    pub(super) fn charge(&mut self, queue: usize) {
        let share = &mut self.queues[queue];
        self.present = self.present.max(share.tag);
        share.tag += share.step;
    }

    fn open(&mut self, rooms: &[usize]) {
        for (share, room) in self.queues.iter_mut().zip(rooms) {
            let is_open = *room > 0;
            if is_open && !share.was_open {
                share.tag = share.tag.max(self.present);
            }
            share.was_open = is_open;
        }
    }

    fn tags(&self) -> Vec<u128> {
        self.queues.iter().map(|share| share.tag).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue_core::{Rng, SeededRng};

    const ALL: usize = usize::MAX;

    /// Deals, and lets every queue have what it was dealt.
    fn served(dealer: &mut Dealer, slots: usize, rooms: &[usize]) -> Vec<usize> {
        let dealt = dealer.deal(slots, rooms);
        for &queue in &dealt {
            dealer.charge(queue);
        }
        dealt
    }

    #[test]
    fn slots_are_dealt_by_weight_and_evenly_mixed() {
        let mut dealer = Dealer::new([3, 1].into_iter());
        assert_eq!(served(&mut dealer, 8, &[ALL, ALL]), [0, 1, 0, 0, 0, 1, 0, 0]);
        let mut by_twos = Dealer::new([3, 1].into_iter());
        let dealt: Vec<usize> = (0..4).flat_map(|_| served(&mut by_twos, 2, &[ALL, ALL])).collect();
        assert_eq!(dealt, [0, 1, 0, 0, 0, 1, 0, 0], "the size of a deal changes nothing");
    }

    #[test]
    fn a_queue_without_room_leaves_its_share_to_the_others() {
        let mut dealer = Dealer::new([1, 1, 1].into_iter());
        assert_eq!(served(&mut dealer, 4, &[0, 1, ALL]), [1, 2, 2, 2]);
        assert_eq!(served(&mut dealer, 4, &[0, 0, 0]), [0; 0]);
    }

    #[test]
    fn what_was_not_to_be_had_costs_nothing() {
        let mut dealer = Dealer::new([1, 1].into_iter());
        assert_eq!(dealer.deal(4, &[ALL, ALL]), [0, 1, 0, 1]);
        assert_eq!(dealer.deal(2, &[ALL, ALL]), [0, 1]);
    }

    #[test]
    fn a_queue_that_comes_back_has_saved_up_nothing() {
        let mut dealer = Dealer::new([1, 1].into_iter());
        assert_eq!(served(&mut dealer, 1000, &[ALL, 0]), [0; 1000]);
        let dealt = served(&mut dealer, 100, &[ALL, ALL]);
        assert_eq!(dealt.iter().filter(|&&queue| queue == 0).count(), 50);
        // Nor after a time when neither was open.
        served(&mut dealer, 1000, &[ALL, 0]);
        served(&mut dealer, 1, &[0, 0]);
        let dealt = served(&mut dealer, 100, &[ALL, ALL]);
        assert!((49..=51).contains(&dealt.iter().filter(|&&queue| queue == 0).count()));
    }

    /// The bound, in every stretch in which two queues were open throughout, whatever the others did meanwhile.
    #[test]
    fn any_two_open_queues_are_served_in_proportion_up_to_one_job_each() {
        for seed in 0..300 {
            let rng = SeededRng::new(seed);
            let below = |most: u64| usize::try_from(rng.next_u64() % most).unwrap();
            let weights: Vec<u32> = (0..2 + below(4)).map(|_| u32::try_from(1 + below(9)).unwrap()).collect();
            let mut dealer = Dealer::new(weights.iter().copied());
            let mut got = vec![0.0; weights.len()];
            for _ in 0..200 {
                let mut rooms: Vec<usize> = weights.iter().map(|_| [0, 1, 3, ALL][below(4)]).collect();
                (rooms[0], rooms[1]) = (ALL, ALL);
                for queue in served(&mut dealer, 1 + below(12), &rooms) {
                    got[queue] += 1.0 / f64::from(weights[queue]);
                    let apart = f64::abs(got[0] - got[1]);
                    let most = 1.0 / f64::from(weights[0]) + 1.0 / f64::from(weights[1]);
                    assert!(apart <= most + 1e-6, "seed {seed}: {weights:?} are {apart} apart");
                }
            }
        }
    }
}
