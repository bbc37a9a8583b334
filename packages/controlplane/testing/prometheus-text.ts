interface ParsedFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly ParsedSample[];
}

interface ParsedSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface OpenFamily extends ParsedFamily {
  readonly samples: ParsedSample[];
  readonly seen: Set<string>;
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const labelName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * Parses the Prometheus text format 0.0.4 strictly: HELP and TYPE once and before the samples, all lines of a metric
 * together, no duplicate series, gauges and counters only, valid numbers.
 */
export function parsePrometheusText(text: string): ParsedFamily[] {
  if (!text.endsWith('\n')) throw new SyntaxError('the last line does not end');
  const families = new Map<string, OpenFamily>();
  const lines = text.slice(0, -1).split('\n');
  let open: OpenFamily | undefined;
  for (let row = 0; row < lines.length; row++) {
    const line = lines[row]!;
    const help = /^# HELP (\S+) (.+)$/.exec(line);
    if (help === null) {
      if (open === undefined) throw new SyntaxError(`a sample before its HELP: ${line}`);
      addSample(open, line);
      continue;
    }
    const name = help[1]!;
    const type = /^# TYPE (\S+) (counter|gauge)$/.exec(lines[++row] ?? '');
    if (!metricName.test(name) || type?.[1] !== name) throw new SyntaxError(`no TYPE after: ${line}`);
    if (families.has(name)) throw new SyntaxError(`${name} comes twice`);
    open = { name, help: help[2]!, type: type[2]!, samples: [], seen: new Set() };
    families.set(name, open);
  }
  return [...families.values()];
}

function addSample(family: OpenFamily, line: string): void {
  const { name, samples, seen } = family;
  if (!line.startsWith(name)) throw new SyntaxError(`not of ${name}: ${line}`);
  let at = name.length;
  const labels: Record<string, string> = {};
  if (line[at] === '{') {
    do {
      at++;
      const equals = line.indexOf('="', at);
      const label = line.slice(at, equals);
      if (equals < 0 || !labelName.test(label) || Object.hasOwn(labels, label))
        throw new SyntaxError(`a wrong label at ${at}: ${line}`);
      const value = readQuoted(line, equals + 1);
      labels[label] = value.text;
      at = value.end;
    } while (line[at] === ',');
    if (line[at++] !== '}') throw new SyntaxError(`labels do not end at ${at}: ${line}`);
  }
  const value = /^ (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(line.slice(at))?.[1];
  if (value === undefined) throw new SyntaxError(`no number at ${at}: ${line}`);
  const key = JSON.stringify(Object.entries(labels).sort());
  if (seen.has(key)) throw new SyntaxError(`the series comes twice: ${line}`);
  seen.add(key);
  samples.push({ labels, value: Number(value) });
}

function readQuoted(line: string, start: number): { text: string; end: number } {
  let text = '';
  for (let at = start + 1; at < line.length; at++) {
    const char = line[at]!;
    if (char === '"') return { text, end: at + 1 };
    if (char === '\0') throw new SyntaxError(`a zero, which ends the text, at ${at}: ${line}`);
    if (char !== '\\') {
      text += char;
      continue;
    }
    const escaped = { '\\': '\\', '"': '"', n: '\n' }[line[++at] ?? ''];
    if (escaped === undefined) throw new SyntaxError(`a wrong escape at ${at}: ${line}`);
    text += escaped;
  }
  throw new SyntaxError(`a label that does not end: ${line}`);
}
