//! Threads that do jobs, whose results come out in the order in which the jobs went in. Nothing here knows Python.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What a job came to, or the panic that it ended in.
pub type Result<D> = thread::Result<D>;

/// Threads that turn jobs `J` into results `D`. Dropped, they are stopped and gone.
pub struct Workers<J, D> {
    shared: Arc<Shared<J, D>>,
    threads: Vec<JoinHandle<()>>,
    /// How many threads there may be.
    most: usize,
    /// A child of a fork has the handles and not the threads.
    process: u32,
}

struct Shared<J, D> {
    work: Work<J, D>,
    state: Mutex<State<J, D>>,
    /// There are jobs, or it is over.
    jobs: Condvar,
    /// There are results for the one who waits.
    results: Condvar,
    stop: AtomicBool,
}

type Work<J, D> = Box<dyn Fn(J, &AtomicBool) -> D + Send + Sync>;

struct State<J, D> {
    /// The jobs that nobody has begun, each with its number.
    queue: VecDeque<(u64, J)>,
    /// The results of all that were put in and not taken out, in order.
    results: VecDeque<Option<Result<D>>>,
    /// The number of the first of them.
    first: u64,
    /// How many of them are there.
    ready: usize,
    idle: usize,
    /// Since when somebody waits for the first of them.
    awaited: Option<Instant>,
}

/// To wake somebody costs as much as to read a small log: so many results are worth it, or so long a wait.
const ENOUGH: usize = 16;
const LONG: Duration = Duration::from_micros(500);

impl<J, D> Shared<J, D> {
    fn state(&self) -> MutexGuard<'_, State<J, D>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut state = self.state();
        while !self.stop.load(Ordering::Relaxed) {
            let Some((number, job)) = state.queue.pop_front() else {
                state.idle += 1;
                state = self.jobs.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
                continue;
            };
            drop(state);
            let result = catch_unwind(AssertUnwindSafe(|| (self.work)(job, &self.stop)));
            state = self.state();
            let place = usize::try_from(number - state.first).unwrap_or(usize::MAX);
            if let Some(slot) = state.results.get_mut(place) {
                *slot = Some(result);
            }
            state.ready += 1;
            let Some(since) = state.awaited else { continue };
            let is_worth_it = state.ready >= ENOUGH || state.queue.is_empty() || since.elapsed() >= LONG;
            if is_worth_it && matches!(state.results.front(), Some(Some(_))) {
                state.awaited = None;
                self.results.notify_one();
            }
        }
    }
}

impl<J: Send + 'static, D: Send + 'static> Workers<J, D> {
    /// At most so many threads, which begin as there is work; `work` is told by the flag that nobody waits any more.
    pub fn new(most: usize, work: impl Fn(J, &AtomicBool) -> D + Send + Sync + 'static) -> Self {
        let state =
            State { queue: VecDeque::new(), results: VecDeque::new(), first: 0, ready: 0, idle: 0, awaited: None };
        let shared = Shared {
            work: Box::new(work),
            state: Mutex::new(state),
            jobs: Condvar::new(),
            results: Condvar::new(),
            stop: AtomicBool::new(false),
        };
        Self { shared: Arc::new(shared), threads: Vec::new(), most, process: std::process::id() }
    }

    /// Put a job in.
    pub fn put(&mut self, job: J) -> io::Result<()> {
        let mut state = self.shared.state();
        let number = state.first + state.results.len() as u64;
        state.results.push_back(None);
        state.queue.push_back((number, job));
        let is_short = state.queue.len() > state.idle;
        if state.idle > 0 {
            self.shared.jobs.notify_one();
        }
        drop(state);
        if is_short && self.threads.len() < self.most {
            let shared = Arc::clone(&self.shared);
            match thread::Builder::new().name("lastsaid".into()).spawn(move || shared.run()) {
                Ok(thread) => self.threads.push(thread),
                // Where there may be no more threads, those that there are do it.
                Err(error) if self.threads.is_empty() => return Err(error),
                Err(_) => self.most = self.threads.len(),
            }
        }
        Ok(())
    }

    /// Take out the results that are there, up to the first that isn't.
    pub fn take(&self, into: &mut VecDeque<Result<D>>) {
        let mut state = self.shared.state();
        while matches!(state.results.front(), Some(Some(_))) {
            into.extend(state.results.pop_front().flatten());
            state.first += 1;
            state.ready -= 1;
        }
    }

    /// Wait until there is a result to take, or for so long.
    pub fn wait(&self, most: Duration) {
        let mut state = self.shared.state();
        if matches!(state.results.front(), Some(None)) {
            state.awaited = Some(Instant::now());
            state = self.shared.results.wait_timeout(state, most).unwrap_or_else(PoisonError::into_inner).0;
            state.awaited = None;
        }
    }

    /// Whether the threads are in this process; not in the child of a fork.
    pub fn are_here(&self) -> bool {
        self.process == std::process::id()
    }
}

impl<J, D> Drop for Workers<J, D> {
    fn drop(&mut self) {
        let threads = std::mem::take(&mut self.threads);
        if self.process != std::process::id() {
            std::mem::forget(threads);
            return;
        }
        self.shared.stop.store(true, Ordering::Relaxed);
        // With the lock, or a thread that has just looked at the flag would sleep through it.
        drop(self.shared.state());
        self.shared.jobs.notify_all();
        for thread in threads {
            // A panic is a result; there is none outside of a job.
            let _ = thread.join();
        }
    }
}
