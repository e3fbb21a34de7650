//! How the free slots of a worker are shared among its queues.

/// Deals slots to queues in proportion to their weights, by start-time fair queueing (Goyal, Vin
/// and Cheng 1996): each job moves the tag of its queue on by one over the weight, and the queue
/// with the lowest tag is next. A queue that comes back after a rest joins at the present tag, so
/// it neither loses its turn nor saves up any. A queue whose claim is in flight has its turn when
/// the claim is answered.
///
/// Two queues that both had due jobs all the time have got jobs in proportion to their weights, up
/// to one job each and what other queues got during a claim. The dealer is deterministic and does
/// no I/O.
#[derive(Debug)]
pub(super) struct Dealer {
    queues: Vec<QueueShare>,
    /// The tag of the job that was dealt last.
    present: u128,
}

#[derive(Clone, Debug)]
struct QueueShare {
    /// What one job costs.
    step: u128,
    /// The tag of its next job.
    tag: u128,
    /// The queue could have had a job at the last deal.
    was_open: bool,
}

/// What a queue wants of a deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demand {
    /// The queue is not to be asked.
    Nothing,
    /// A claim is in flight, so the queue gets nothing now and has its turn afterwards.
    InFlight,
    /// There is room for this many of its jobs.
    Room(usize),
}

impl Demand {
    fn room(&self) -> usize {
        if let Self::Room(room) = self { *room } else { 0 }
    }
}

/// What one job of weight one costs. The number is large, so that dividing it by a weight is exact
/// enough.
const UNIT: u128 = 1 << 40;

impl Dealer {
    pub(super) fn new(weights: impl Iterator<Item = u32>) -> Self {
        let share = |weight| QueueShare { step: UNIT / u128::from(weight), tag: 0, was_open: false };
        Self { queues: weights.map(share).collect(), present: 0 }
    }

    /// Answers how many of the slots each queue is dealt.
    pub(super) fn deal(&mut self, slots: usize, demands: &[Demand]) -> Vec<usize> {
        self.open(demands);
        let rooms: Vec<usize> = demands.iter().map(Demand::room).collect();
        let mut open = (0..rooms.len()).filter(|&queue| rooms[queue] > 0);
        if let (Some(only), None) = (open.next(), open.next()) {
            // A single queue gets them without a loop: thousands of slots may be free for one job.
            let mut dealt = vec![0; rooms.len()];
            dealt[only] = slots.min(rooms[only]);
            return dealt;
        }
        let mut tags = self.tags();
        let mut dealt = vec![0; rooms.len()];
        self.each_turn(slots, &mut tags, &rooms, |queue, _| dealt[queue] += 1);
        dealt
    }

    /// Answers the order in which the jobs that queues got are to start, and charges the queues for
    /// them. Slots that were dealt to a queue without jobs cost it nothing.
    pub(super) fn charge(&mut self, got: &[usize]) -> Vec<usize> {
        let mut tags = self.tags();
        let mut order = Vec::new();
        let mut present = self.present;
        self.each_turn(got.iter().sum(), &mut tags, got, |queue, tag| {
            present = present.max(tag);
            order.push(queue);
        });
        self.present = present;
        for (share, tag) in self.queues.iter_mut().zip(tags) {
            share.tag = tag;
        }
        order
    }

    /// Gives each turn to the queue with the lowest tag, as long as any has room.
    fn each_turn(&self, turns: usize, tags: &mut [u128], rooms: &[usize], mut turn: impl FnMut(usize, u128)) {
        let mut rooms = rooms.to_vec();
        for _ in 0..turns {
            let open = (0..rooms.len()).filter(|&queue| rooms[queue] > 0);
            let Some(next) = open.min_by_key(|&queue| tags[queue]) else { break };
            turn(next, tags[next]);
            tags[next] += self.queues[next].step;
            rooms[next] -= 1;
        }
    }

    fn open(&mut self, demands: &[Demand]) {
        for (share, demand) in self.queues.iter_mut().zip(demands) {
            let is_open = match demand {
                Demand::Nothing => false,
                Demand::InFlight => continue,
                Demand::Room(room) => *room > 0,
            };
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
        let demands: Vec<Demand> = rooms.iter().copied().map(Demand::Room).collect();
        let dealt = dealer.deal(slots, &demands);
        dealer.charge(&dealt)
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
        for _ in 0..3 {
            assert_eq!(dealer.deal(4, &[Demand::Room(ALL); 2]), [2, 2]);
            assert_eq!(dealer.charge(&[0, 0]), [0; 0]);
        }
        assert_eq!(dealer.charge(&[1, 2]), [0, 1, 1]);
        assert_eq!(dealer.deal(3, &[Demand::Room(ALL); 2]), [2, 1]);
    }

    #[test]
    fn a_queue_gets_its_share_of_what_was_dealt_while_its_claim_was_in_flight() {
        let mut dealer = Dealer::new([1, 1].into_iter());
        assert_eq!(dealer.deal(2, &[Demand::Room(ALL); 2]), [1, 1]);
        dealer.charge(&[1, 0]);
        assert_eq!(dealer.deal(6, &[Demand::Room(ALL), Demand::InFlight]), [6, 0]);
        dealer.charge(&[6, 0]);
        dealer.charge(&[0, 1]);
        assert_eq!(dealer.deal(8, &[Demand::Room(ALL); 2]), [1, 7]);
    }

    #[test]
    fn a_queue_whose_claim_is_passed_over_gets_no_share_of_what_was_dealt_meanwhile() {
        let mut dealer = Dealer::new([1, 1].into_iter());
        assert_eq!(dealer.deal(2, &[Demand::Room(ALL); 2]), [1, 1]);
        dealer.charge(&[1, 0]);
        assert_eq!(dealer.deal(600, &[Demand::Room(ALL), Demand::Nothing]), [600, 0]);
        dealer.charge(&[600, 0]);
        dealer.charge(&[0, 1]);
        assert_eq!(dealer.deal(8, &[Demand::Room(ALL); 2]), [4, 4]);
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

    /// The bound, in every stretch in which two queues were open throughout; the others may come
    /// and go.
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
