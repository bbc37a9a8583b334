import { clusterLimits } from '@weir/cluster/limits';
import type { Clock } from '@weir/core';

/** A call that is not answered for this long holds nobody up any more: whoever waits behind it goes on without it. */
const patienceMs = 250;

interface Waiting<Question, Answer> {
  readonly question: Question;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/**
 * The same question of many clusters as one call of the database: whatever is asked while a call runs goes out together in the
 * next. So what a thousand clusters ask at the same moment costs two calls, and what one asks alone waits for nobody. A question
 * never joins a call that has left, so that each answer is from after its question.
 */
export class Gathering<Question, Answer> {
  readonly #clock: Clock;
  /** Answers in the order of the questions. */
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
      // Not at once, so that those who ask together go together.
      if (this.#waiting.length === 1 && !this.#isHeldUp) queueMicrotask(() => this.#send());
    });
  }

  #send(): void {
    if (this.#isHeldUp || this.#waiting.length === 0) return;
    const sent = this.#waiting.splice(0, clusterLimits.gatheredLeasesMax);
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
