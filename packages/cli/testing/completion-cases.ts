import { type CommandName, commandNames, commandRow } from '../src/commands/catalogue.ts';
import { flagRows } from '../src/flags/catalogue.ts';

/** What the user has typed, and the words that may be next, whole. */
interface CompletionCase {
  readonly typed: string;
  readonly words: readonly string[];
}

/** A file that is in the folder in which completion is tried. */
export const completedFile = 'token.txt';

const isAvailable = (name: CommandName) => commandRow(name).status === 'available';
const taken = flagRows.filter(({ status, hasFlag }) => status === 'available' && hasFlag);

/** Every command with its tools and flags, every flag with its values, and ways to write them. */
export function completionCases(): readonly CompletionCase[] {
  const available = commandNames.filter(isAvailable);
  const cases: CompletionCase[] = [];
  const add = (typed: string, ...words: readonly string[]) => cases.push({ typed, words });
  add('weir ', ...available.filter((name) => !name.includes(' ')));
  for (const command of available) {
    const flags = taken.filter(({ commands }) => commands.includes(command)).map(({ name }) => `-${name}`);
    const tools = available
      .filter((name) => name.startsWith(`${command} `) && !name.slice(command.length + 1).includes(' '))
      .map((name) => name.slice(command.length + 1));
    add(`weir ${command} `, ...(tools.length > 0 ? tools : [...flags, '-help']));
    add(`weir ${command} -`, ...flags, '-help');
  }
  for (const { name, type, commands } of taken) {
    const command = commands.find(isAvailable);
    if (command === undefined) continue;
    const { words, label } = type.item ?? type;
    const isSwitch = type.impliedText !== undefined;
    const values = words ?? (label === 'path' ? [completedFile] : isSwitch ? ['true', 'false'] : []);
    if (!isSwitch) add(`weir ${command} -${name} ${label === 'path' ? 'tok' : ''}`, ...values);
    add(
      `weir ${command} -${name}=${label === 'path' ? 'tok' : ''}`,
      ...values.map((value) => `-${name}=${value}`),
    );
  }
  add('weir vers', 'version');
  add('weir cli list-t', 'list-topics');
  add('weir cli list-topics -out', '-output');
  add('weir cli list-topics --out', '--output');
  add('weir cli list-topics --output j', 'json');
  add('weir cli list-topics -output=ta', '-output=table');
  add('weir cli list-topics --output=ta', '--output=table');
  add('weir cli list-topics -tls=t', '-tls=true');
  add('weir cli list-topics -tls -output t', 'table');
  add('weir cli list-topics -tls -out', '-output');
  add('weir apply -f tok', completedFile);
  add('weir cli create-acls -operation DESCRIBE_C', 'DESCRIBE_CONFIGS');
  add('weir agent -batchTimeo', '-batchTimeout');
  add('weir nonsense -ou');
  add('weir nonsense ');
  add('weir cli nonsense list-t');
  return cases;
}
