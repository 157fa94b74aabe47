//! One piece of work on many things by several threads, with the results in the order of the things.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;

use parking_lot::Mutex;

/// How many things a thread takes at once.
const CHUNK: usize = 64;
/// The most threads: with more the disk is what takes the time.
const MAX_THREADS: usize = 8;

/// Gives each thing that `produce` hands over to one of several threads, and each result to `take`, in the order of the
/// things, until either wants to stop. `worker` makes what a thread works with.
pub(super) fn in_order<T: Send, R: Send, W: FnMut(T) -> R>(
    worker: impl Fn() -> W + Sync,
    produce: impl FnOnce(&mut dyn FnMut(T) -> ControlFlow<()>),
    take: impl FnMut(R) -> ControlFlow<()>,
) {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    let (jobs, waiting) = mpsc::sync_channel::<(usize, Vec<T>)>(threads * 2);
    let waiting = Mutex::new(waiting);
    let (done, results) = mpsc::channel();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..threads {
            let (done, waiting, worker, is_over) = (done.clone(), &waiting, &worker, &is_over);
            scope.spawn(move || {
                let mut work = worker();
                loop {
                    let job = waiting.lock().recv();
                    let Ok((number, things)) = job else { return };
                    if is_over.load(Ordering::Relaxed) {
                        return;
                    }
                    let answers: Vec<R> = things.into_iter().map(&mut work).collect();
                    if done.send((number, answers)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(done);
        let mut line = Line {
            take,
            next: 0,
            early: BTreeMap::new(),
        };
        let (mut chunk, mut number) = (Vec::with_capacity(CHUNK), 0);
        let mut ended = ControlFlow::Continue(());
        produce(&mut |thing| {
            chunk.push(thing);
            if chunk.len() == CHUNK {
                let full = std::mem::replace(&mut chunk, Vec::with_capacity(CHUNK));
                if jobs.send((number, full)).is_err() {
                    ended = ControlFlow::Break(());
                }
                number += 1;
            }
            while let (ControlFlow::Continue(()), Ok((number, answers))) = (ended, results.try_recv()) {
                ended = line.add(number, answers);
            }
            ended
        });
        if ended.is_continue() && jobs.send((number, chunk)).is_err() {
            ended = ControlFlow::Break(());
        }
        drop(jobs);
        while ended.is_continue() {
            let Ok((number, answers)) = results.recv() else { break };
            ended = line.add(number, answers);
        }
        is_over.store(true, Ordering::Relaxed);
    });
}

/// Results that come in any order, and go on in their own.
struct Line<R, F> {
    take: F,
    next: usize,
    early: BTreeMap<usize, Vec<R>>,
}

impl<R, F: FnMut(R) -> ControlFlow<()>> Line<R, F> {
    fn add(&mut self, number: usize, answers: Vec<R>) -> ControlFlow<()> {
        self.early.insert(number, answers);
        while let Some(answers) = self.early.remove(&self.next) {
            self.next += 1;
            answers.into_iter().try_for_each(&mut self.take)?;
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results of numbers that are doubled, until one is at least a limit.
    fn doubled(count: usize, limit: usize) -> (Vec<usize>, usize) {
        let (mut taken, mut produced) = (Vec::new(), 0);
        in_order(
            || |number: usize| number * 2,
            |give| {
                for number in 0..count {
                    produced += 1;
                    if give(number).is_break() {
                        return;
                    }
                }
            },
            |result| {
                taken.push(result);
                match result >= limit {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            },
        );
        (taken, produced)
    }

    #[test]
    fn results_come_in_the_order_of_the_things_and_end_where_one_wants() {
        for count in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 10_000] {
            let expected: Vec<_> = (0..count).map(|number| number * 2).collect();
            assert_eq!(doubled(count, usize::MAX), (expected, count));
        }
        let (taken, produced) = doubled(10_000_000, 200);
        assert_eq!(taken, (0..=100).map(|number| number * 2).collect::<Vec<_>>());
        assert!(produced < 10_000_000, "what comes later is not made any more");
    }
}
