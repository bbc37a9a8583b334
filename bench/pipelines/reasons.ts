import type { PipelineRow } from './rows.ts';

/** Why a bar is missed where it is, and what to try next. */
const reasons: Readonly<Record<PipelineRow['name'], string>> = {
  mapping:
    'Parsing and printing JSON is 60 % of the time, and checking the size of results 5 %. What a mapping adds is printed ' +
    'alone; cuts in the text where it replaces a field, as here, took as long as printing all. Next: a parser in ' +
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
    'A thread of Node alone takes 6 to 10 MiB, and the modules of the engine as much, because threads share no code. ' +
    'Next: patterns (re2js) and methods of mappings that are loaded when a mapping uses them.',
};

export function reasonOf({ name }: PipelineRow): string {
  return reasons[name];
}
