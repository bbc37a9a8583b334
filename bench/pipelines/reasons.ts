import type { PipelineRow } from './rows.ts';

/** Why a bar is missed where it is, and what to try next. */
const reasons: Readonly<Record<PipelineRow['name'], string>> = {
  mapping:
    'Parsing and printing JSON is 60 % of the time, and checking the size of results 5 %. What a mapping adds is printed ' +
    'alone; cuts in the text where it replaces a field, as here, took as long as printing all. Runs gave 46,000 to ' +
    '155,000 on different days, and code of before and after in turn the same: `JSON.parse` and `JSON.stringify` alone ' +
    'differ as much from minute to minute (61,000 to 103,000 on 2026-11-19), a loop of integers does not, so memory that ' +
    'the machine shares with others is the likely reason. A mapping does 0.7 to 0.9 of what they do. Next: a parser in ' +
    'WebAssembly that checks a document and makes values of the fields that a mapping names.',
  copy:
    'Parsing is a quarter of the time; lz4 and checksums are up to a fifth, garbage a tenth. Printing only what the ' +
    'mapping adds saved a sixth of the mapping. A young generation of 96 MiB instead of 32 changed nothing in three ' +
    'runs of each, nor did letting go of documents one by one. Next: a parser in WebAssembly that checks a document and ' +
    'makes values of the fields that a mapping names.',
  'idle-cpu':
    'An idle instance sends a heartbeat every 3 s, a fetch and a beat every 5 s, in code that V8 has not compiled. ' +
    'Next: one connection for fetches and heartbeats, and one timer for all instances of a process.',
  'idle-memory':
    'A thread of Node alone takes 6 to 10 MiB, and the modules of the engine as much, because threads share no code: ' +
    'of 6.7 MiB of their heap, components take 2.7, mappings 1.4, messages of Kafka 1.2, patterns 0.7 and YAML 0.3. ' +
    'Next: components whose module is loaded when a configuration names them, as those of object storage are.',
};

export function reasonOf({ name }: PipelineRow): string {
  return reasons[name];
}
