/**
 * Generated JavaScript source: a prologue and a set of functions. Lines go to the current function; nested structures
 * get their own functions by beginning another one inside it.
 */
export class Source {
  readonly #functions: string[] = [];
  #lines: string[] = [];
  #indent = '';
  #names = 0;

  line(text: string): void {
    this.#lines.push(this.#indent + text);
  }

  /** `block('if (x)', …)` writes the braces and indents the body. */
  block(head: string, body: () => void): void {
    this.line(`${head} {`);
    this.#indent += '  ';
    body();
    this.#indent = this.#indent.slice(2);
    this.line('}');
  }

  /** Returns a fresh variable with a descriptive name, for readers of the generated code in a profile. */
  fresh(hint: string): string {
    this.#names++;
    return `${hint}${this.#names}`;
  }

  /**
   * Writes a separate function, named after the field at a path, and returns its name. A verb with an asterisk makes it
   * a generator.
   */
  define(verb: string, path: string, parameters: string, body: () => void): string {
    const isGenerator = verb.startsWith('*');
    const name = this.fresh(`${isGenerator ? verb.slice(1) : verb}_${lastName(path)}_`);
    const outer = { lines: this.#lines, indent: this.#indent };
    this.#lines = [];
    this.#indent = '';
    this.block(`function${isGenerator ? '*' : ''} ${name}(${parameters})`, body);
    this.#functions.push(this.#lines.join('\n'));
    this.#lines = outer.lines;
    this.#indent = outer.indent;
    return name;
  }

  /** The prologue, then the functions, which JavaScript hoists. */
  toString(): string {
    return [...this.#lines, ...this.#functions].join('\n');
  }
}

/** `topics[].partitions[]` gives `partitions`. */
function lastName(path: string): string {
  return path.replaceAll('[]', '').split('.').at(-1)!;
}
