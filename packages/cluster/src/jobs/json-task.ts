import type * as s from '../shapes/shape.ts';

/** The task of a job as JSON, whose shape is checked when an agent reads it. */
export function jsonTask<Task>(shape: s.Shape<Task>) {
  return {
    write: (task: Task): Uint8Array => Buffer.from(JSON.stringify(task)),
    read(bytes: Uint8Array): Task {
      const task = JSON.parse(Buffer.from(bytes).toString()) as Task;
      const problem = shape(task, 'task');
      if (problem !== undefined) throw new RangeError(problem);
      return task;
    },
  };
}
