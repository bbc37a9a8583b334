/** Long work that was started from a page: it goes on while other pages are opened, and can be cancelled. */

export interface TaskToStart {
  /** The act: `Delete 12 topics`. */
  readonly title: string;
  /** Does the work. What it throws is its failure, and it can then be tried again. */
  run(control: TaskControl): Promise<TaskEnd>;
}

export interface TaskControl {
  /** Aborted when the person cancels. Work that has begun may be finished first. */
  readonly signal: AbortSignal;
  report(progress: TaskProgress): void;
}

interface TaskProgress {
  readonly done: number;
  /** Absent if it is not known. */
  readonly total?: number;
}

export interface TaskEnd {
  readonly kind: 'ok' | 'warn' | 'fail';
  readonly text: string;
  /** What was done and what was not, by name. */
  readonly parts?: readonly TaskPart[];
  /** What can be done about it: `Undo`, `Try again`. It takes the place of this task. */
  readonly next?: readonly { readonly label: string; readonly task: TaskToStart }[];
}

interface TaskPart {
  readonly label: string;
  readonly names: readonly string[];
}

export interface Task {
  readonly id: number;
  readonly title: string;
  readonly progress: TaskProgress;
  readonly isCancelled: boolean;
  /** Absent while it runs. */
  readonly end?: TaskEnd;
}

/** Ended tasks that stay in the list; older ones go. */
const endedMax = 20;

export class TaskStore {
  readonly #problemText: (error: unknown) => string;
  readonly #changes = new EventTarget();
  readonly #cancels = new Map<number, AbortController>();
  #tasks: readonly Task[] = [];
  #count = 0;

  constructor(problemText: (error: unknown) => string) {
    this.#problemText = problemText;
  }

  /** The same list until something changes; the latest task is the last. */
  readonly list = (): readonly Task[] => this.#tasks;

  readonly subscribe = (onChange: () => void): (() => void) => {
    this.#changes.addEventListener('change', onChange);
    return () => this.#changes.removeEventListener('change', onChange);
  };

  /** Resolves when the task has ended. */
  async start(task: TaskToStart): Promise<void> {
    const id = ++this.#count;
    const cancel = new AbortController();
    this.#cancels.set(id, cancel);
    this.#put([...this.#tasks, { id, title: task.title, progress: { done: 0 }, isCancelled: false }]);
    const report = (progress: TaskProgress) => this.#change(id, { progress });
    let end: TaskEnd;
    try {
      end = await task.run({ signal: cancel.signal, report });
    } catch (error) {
      const again = [{ label: 'Retry', task }];
      end = cancel.signal.aborted
        ? { kind: 'warn', text: 'Cancelled', next: again }
        : { kind: 'fail', text: `Failed: ${this.#problemText(error)}`, next: again };
    }
    this.#cancels.delete(id);
    this.#change(id, { end });
  }

  cancel(id: number): void {
    this.#cancels.get(id)?.abort();
    this.#change(id, { isCancelled: true });
  }

  /** Starts what can be done about the end of a task, in its place. */
  async follow(id: number, task: TaskToStart): Promise<void> {
    this.dismiss(id);
    await this.start(task);
  }

  /** Takes an ended task off the list. */
  dismiss(id: number): void {
    this.#put(this.#tasks.filter((task) => task.id !== id || task.end === undefined));
  }

  dismissEnded(): void {
    this.#put(this.#tasks.filter(({ end }) => end === undefined));
  }

  /** Cancels and forgets all: the next person at this browser does not see them. */
  forgetAll(): void {
    for (const cancel of this.#cancels.values()) cancel.abort();
    this.#put([]);
  }

  #change(id: number, change: Partial<Task>): void {
    this.#put(this.#tasks.map((task) => (task.id === id ? { ...task, ...change } : task)));
  }

  #put(tasks: readonly Task[]): void {
    let surplus = tasks.filter(({ end }) => end !== undefined).length - endedMax;
    this.#tasks = tasks.filter(({ end }) => end === undefined || --surplus < 0);
    this.#changes.dispatchEvent(new Event('change'));
  }
}
