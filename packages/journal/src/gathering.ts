import type { Clock } from '@weir/core';
import { journalLimits } from './limits.ts';

/** After this time a call without an answer no longer blocks: waiting questions go out without it. */
const patienceMs = 250;

interface Waiting<Question, Answer> {
  readonly question: Question;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/**
 * Batches equal questions of many clusters into one database call: questions that arrive while a call runs go out
 * together in the next. So the questions of a thousand clusters at the same moment cost two calls, and a single one
 * does not wait. A question never joins a call that was sent, so each answer is newer than its question.
 */
export class Gathering<Question, Answer> {
  readonly #clock: Clock;
  /** Returns answers in the order of the questions. */
  readonly #askAll: (questions: readonly Question[]) => Promise<readonly Answer[]>;
  #waiting: Waiting<Question, Answer>[] = [];
  #isHeldUp = false;

  constructor(clock: Clock, askAll: (questions: readonly Question[]) => Promise<readonly Answer[]>) {
    this.#clock = clock;
    this.#askAll = askAll;
  }

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject });
      // Deferred, so that concurrent questions go together.
      if (this.#waiting.length === 1 && !this.#isHeldUp) queueMicrotask(() => this.#send());
    });
  }

  #send(): void {
    if (this.#isHeldUp || this.#waiting.length === 0) return;
    const sent = this.#waiting.splice(0, journalLimits.gatheredLeasesMax);
    this.#isHeldUp = true;
    let isOver = false;
    const goOn = () => {
      if (isOver) return;
      isOver = true;
      stopWaiting();
      this.#isHeldUp = false;
      this.#send();
    };
    const stopWaiting = this.#clock.after(patienceMs, goOn);
    this.#askAll(sent.map(({ question }) => question)).then(
      (answers) => {
        goOn();
        for (const [index, { resolve }] of sent.entries()) resolve(answers[index]!);
      },
      (error: Error) => {
        goOn();
        for (const { reject } of sent) reject(error);
      },
    );
  }
}
