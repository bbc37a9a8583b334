import { LogProblem } from './log-problem.ts';

/** What is known of the log of a partition, by what clients sent and were answered. */
export abstract class LogModel {
  readonly name: string;
  readonly topicId: string;
  readonly partition: number;
  #nextOffset = 0;

  constructor(name: string, topicId: string, partition: number) {
    this.name = name;
    this.topicId = topicId;
    this.partition = partition;
  }

  get nextOffset(): number {
    return this.#nextOffset;
  }

  /** The log reaches at least to this offset. */
  protected reaches(nextOffset: number): void {
    this.#nextOffset = Math.max(this.#nextOffset, nextOffset);
  }

  protected fail(problem: string): never {
    throw new LogProblem(`${this.name}-${this.partition}: ${problem}`);
  }
}
