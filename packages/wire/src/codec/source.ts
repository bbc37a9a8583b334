/** JavaScript source that is being generated: indented lines, and names that do not clash. */
export class Source {
  readonly #lines: string[] = [];
  #indent = '';
  #names = 0;

  line(text: string): void {
    this.#lines.push(this.#indent + text);
  }

  /** `block('if (x)', …)` writes the braces and indents what is written inside. */
  block(head: string, body: () => void): void {
    this.line(`${head} {`);
    this.#indent += '  ';
    body();
    this.#indent = this.#indent.slice(2);
    this.line('}');
  }

  /** A fresh variable whose name still tells what it holds, for whoever reads the generated code in a profile. */
  fresh(hint: string): string {
    this.#names++;
    return `${hint}${this.#names}`;
  }

  toString(): string {
    return this.#lines.join('\n');
  }
}
