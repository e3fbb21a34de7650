//! The five faces on every store: each demonstration prints exactly what its page says, and the
//! finer points of each face are asserted one by one.

mod fifo;
mod request_response;
mod stores;
mod task_queue;
mod visibility;
mod visibility_loop;
mod work_queue;
