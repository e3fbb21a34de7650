//! The map from slots to addresses.

use redis::{ErrorKind, RedisError, RedisResult, Value, cluster_routing::Slot};
use std::{collections::HashMap, fmt};

/// Where a node of a Cluster listens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Address {
    pub(super) host: String,
    pub(super) port: u16,
}

/// Which master has which slot, as one node said, and as redirections said since.
#[derive(Debug, Default)]
pub(super) struct Slots {
    masters: Vec<Address>,
    /// The place of the owner in the list, since there are many slots and few masters.
    owners: HashMap<Slot, u16>,
}

impl Address {
    /// As a redirection names it. A node that knows no name of its own leaves the host out, and the
    /// one that was asked is meant.
    pub(super) fn parse(text: &str, asked: &Self) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        Self::of(host, port.parse().ok()?, asked)
    }

    fn of(host: &str, port: u16, asked: &Self) -> Option<Self> {
        match host {
            "" | "0.0.0.0" | "::" => Some(Self { host: asked.host.clone(), port }),
            // The Cluster prefers names and knows none for this node.
            "?" => None,
            host => Some(Self { host: host.to_owned(), port }),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl Slots {
    /// Reads the answer of a node to `CLUSTER SLOTS`.
    pub(super) fn read(answer: &Value, asked: &Address) -> RedisResult<Self> {
        let Value::Array(ranges) = answer else { return Err(strange()) };
        let mut slots = Self::default();
        for range in ranges {
            let Value::Array(range) = range else { return Err(strange()) };
            let [Value::Int(first), Value::Int(last), master, ..] = &range[..] else { return Err(strange()) };
            if let Some(master) = read_master(master, asked)? {
                let place = slots.place(master);
                let numbers = (*first..=*last).filter_map(|number| Slot::new(u16::try_from(number).ok()?));
                slots.owners.extend(numbers.map(|slot| (slot, place)));
            }
        }
        Ok(slots)
    }

    pub(super) fn owner(&self, slot: Slot) -> Option<&Address> {
        self.owners.get(&slot).map(|place| &self.masters[usize::from(*place)])
    }

    pub(super) fn masters(&self) -> &[Address] {
        &self.masters
    }

    /// Each master that has a slot, with one of its slots.
    pub(super) fn one_of_each(&self) -> Vec<(Address, Slot)> {
        let owned: HashMap<u16, Slot> = self.owners.iter().map(|(slot, place)| (*place, *slot)).collect();
        owned.into_iter().map(|(place, slot)| (self.masters[usize::from(place)].clone(), slot)).collect()
    }

    /// Notes what a redirection said.
    pub(super) fn moved(&mut self, slot: Slot, to: Address) {
        let place = self.place(to);
        self.owners.insert(slot, place);
    }

    fn place(&mut self, master: Address) -> u16 {
        let place = self.masters.iter().position(|known| *known == master);
        let place = place.unwrap_or_else(|| {
            self.masters.push(master);
            self.masters.len() - 1
        });
        u16::try_from(place).expect("a Cluster has at most one master for each of its 16,384 slots")
    }
}

fn read_master(master: &Value, asked: &Address) -> RedisResult<Option<Address>> {
    let Value::Array(parts) = master else { return Err(strange()) };
    let [host, Value::Int(port), ..] = &parts[..] else { return Err(strange()) };
    let host = match host {
        Value::Nil => "",
        Value::BulkString(host) => std::str::from_utf8(host).map_err(|_| strange())?,
        _ => return Err(strange()),
    };
    Ok(Address::of(host, u16::try_from(*port).map_err(|_| strange())?, asked))
}

fn strange() -> RedisError {
    (ErrorKind::UnexpectedReturnType, "a node answered strangely where slots were asked for").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(host: &str, port: u16) -> Address {
        Address { host: host.to_owned(), port }
    }

    fn range(first: i64, last: i64, host: Value, port: i64) -> Value {
        let node = vec![host, Value::Int(port), Value::BulkString(b"id".to_vec()), Value::Array(Vec::new())];
        Value::Array(vec![Value::Int(first), Value::Int(last), Value::Array(node)])
    }

    fn host(name: &str) -> Value {
        Value::BulkString(name.as_bytes().to_vec())
    }

    fn owner(slots: &Slots, number: u16) -> Option<&Address> {
        slots.owner(Slot::new(number).expect("a slot"))
    }

    #[test]
    fn every_slot_of_a_range_has_its_master_and_a_redirection_is_remembered() {
        let ranges = vec![range(0, 99, host("a"), 1), range(100, 100, host("b"), 2)];
        let mut slots = Slots::read(&Value::Array(ranges), &address("asked", 9)).expect("well-formed");
        assert_eq!((owner(&slots, 0), owner(&slots, 99)), (Some(&address("a", 1)), Some(&address("a", 1))));
        assert_eq!((owner(&slots, 100), owner(&slots, 101)), (Some(&address("b", 2)), None));
        slots.moved(Slot::new(0).expect("a slot"), address("b", 2));
        assert_eq!((owner(&slots, 0), owner(&slots, 1)), (Some(&address("b", 2)), Some(&address("a", 1))));
        assert_eq!(slots.masters(), [address("a", 1), address("b", 2)]);
    }

    #[test]
    fn a_node_without_a_name_is_reached_where_the_answer_came_from_and_an_unknown_one_is_left_out() {
        let ranges = vec![range(0, 0, Value::Nil, 1), range(1, 1, host(""), 2), range(2, 2, host("?"), 3)];
        let slots = Slots::read(&Value::Array(ranges), &address("asked", 9)).expect("well-formed");
        assert_eq!(slots.masters(), [address("asked", 1), address("asked", 2)]);
        assert_eq!(owner(&slots, 2), None);
    }

    #[test]
    fn what_is_no_list_of_slots_is_refused() {
        for answer in
            [Value::Nil, Value::Array(vec![Value::Nil]), Value::Array(vec![range(0, 0, host("a"), -1)])]
        {
            assert!(Slots::read(&answer, &address("asked", 9)).is_err(), "{answer:?}");
        }
    }

    #[test]
    fn redirections_name_a_node_in_several_ways() {
        let asked = address("asked", 9);
        assert_eq!(Address::parse("10.0.0.1:6379", &asked), Some(address("10.0.0.1", 6379)));
        assert_eq!(Address::parse("[fe80::1]:6379", &asked), Some(address("fe80::1", 6379)));
        assert_eq!(Address::parse(":6379", &asked), Some(address("asked", 6379)));
        assert_eq!((Address::parse("?:1", &asked), Address::parse("a", &asked)), (None, None));
    }
}
