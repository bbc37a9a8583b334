import { problemOf } from '../api/client.ts';
import { TaskStore, type TaskToStart } from './task-store.ts';

/** The tasks of this browser tab. */
export const tasks = new TaskStore((error) => problemOf(error).message);

/** Starts long work. The tray at the edge of every page shows its progress and its end, and cancels it. */
export function startTask(task: TaskToStart): void {
  void tasks.start(task);
}
