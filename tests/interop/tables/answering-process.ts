import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A program that answers one request after the other, each a line of JSON. */
export class AnsweringProcess {
  readonly #child;
  readonly #answers;
  /** What it said last beside answers. */
  #lastWords = '';

  constructor(program: string, args: readonly string[], folder?: string) {
    this.#child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], cwd: folder });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-4000);
    });
    this.#child.stdin.on('error', () => {});
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  close(): void {
    this.#child.stdin.end();
  }

  protected async call(call: string, args: object): Promise<unknown> {
    this.#child.stdin.write(`${JSON.stringify({ call, arguments: args })}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error(`the program has ended: ${this.#lastWords}`);
    const answer = JSON.parse(value as string) as { result?: unknown; error?: string };
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.result;
  }
}
