/**
 * JavaScript source that is being generated: a prologue and a set of functions. Lines go to the function that is being
 * written; beginning another one inside it, and coming back, is how nested structures get functions of their own.
 */
export class Source {
  readonly #functions: string[] = [];
  #lines: string[] = [];
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

  /** A fresh variable whose name still says what it holds, for readers of the generated code in a profile. */
  fresh(hint: string): string {
    this.#names++;
    return `${hint}${this.#names}`;
  }

  /** Writes a function beside the one that is being written, named after the field at a path, and returns its name. */
  define(verb: string, path: string, parameters: string, body: () => void): string {
    const name = this.fresh(`${verb}_${lastName(path)}_`);
    const outer = { lines: this.#lines, indent: this.#indent };
    this.#lines = [];
    this.#indent = '';
    this.block(`function ${name}(${parameters})`, body);
    this.#functions.push(this.#lines.join('\n'));
    this.#lines = outer.lines;
    this.#indent = outer.indent;
    return name;
  }

  /** What was written outside of functions, then the functions, which JavaScript hoists. */
  toString(): string {
    return [...this.#lines, ...this.#functions].join('\n');
  }
}

/** `topics[].partitions[]` is about partitions. */
function lastName(path: string): string {
  return path.replaceAll('[]', '').split('.').at(-1)!;
}
