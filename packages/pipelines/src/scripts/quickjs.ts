import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import asyncifyLoader from '@jitl/quickjs-wasmfile-release-asyncify/emscripten-module';
import { QuickJSAsyncFFI } from '@jitl/quickjs-wasmfile-release-asyncify/ffi';
import syncLoader from '@jitl/quickjs-wasmfile-release-sync/emscripten-module';
import { QuickJSFFI } from '@jitl/quickjs-wasmfile-release-sync/ffi';
import {
  newQuickJSAsyncWASMModuleFromVariant,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSAsyncContext,
  type QuickJSAsyncVariant,
  type QuickJSContext,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import { pipelineLimits } from '../limits.ts';

const require = createRequire(import.meta.url);
const programs = new Map<string, Promise<ArrayBuffer>>();

/** The program of an engine, read once. It lies beside the package, also if the code of the package is bundled. */
function programOf(name: string): Promise<ArrayBuffer> {
  let program = programs.get(name);
  if (program === undefined) {
    program = readFile(require.resolve(`${name}/wasm`)).then((bytes) => Uint8Array.from(bytes).buffer);
    programs.set(name, program);
  }
  return program;
}

/** As the packages put them together, without importing parts later: a bundle would not find them. */
const sync = {
  type: 'sync',
  importFFI: async () => QuickJSFFI,
  importModuleLoader: async () => syncLoader,
} as unknown as QuickJSSyncVariant;
const asyncify = {
  type: 'async',
  importFFI: async () => QuickJSAsyncFFI,
  importModuleLoader: async () => asyncifyLoader,
} as unknown as QuickJSAsyncVariant;

/** An engine of its own, in which host functions answer at once. */
export async function newContext(): Promise<QuickJSContext> {
  const wasmBinary = await programOf('@jitl/quickjs-wasmfile-release-sync');
  const engine = await newQuickJSWASMModuleFromVariant(newVariant(sync, { wasmBinary }));
  return limited(engine.newContext());
}

/** An engine of its own, in which host functions may take time. It is six times slower. */
export async function newWaitingContext(): Promise<QuickJSAsyncContext> {
  const wasmBinary = await programOf('@jitl/quickjs-wasmfile-release-asyncify');
  const engine = await newQuickJSAsyncWASMModuleFromVariant(newVariant(asyncify, { wasmBinary }));
  return limited(engine.newContext());
}

function limited<Context extends QuickJSContext>(context: Context): Context {
  context.runtime.setMemoryLimit(pipelineLimits.scriptMemoryBytesMax);
  context.runtime.setMaxStackSize(pipelineLimits.scriptStackBytesMax);
  return context;
}
