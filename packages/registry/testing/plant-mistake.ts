import { registerHooks } from 'node:module';
import { systemEnvironment } from '@weir/core';
import { plantedMistakes } from './planted-mistakes.ts';

/** Loaded before tests: plants the mistake whose number the environment has into the source as it is loaded. */
const mistake = plantedMistakes[Number(systemEnvironment.WEIR_PLANTED_MISTAKE)];
if (mistake === undefined) throw new Error('WEIR_PLANTED_MISTAKE is not the number of a mistake');
const { file, text, instead } = mistake;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(`/json-schema/compatibility/${file}`)) return loaded;
    const source = String(loaded.source);
    if (!source.includes(text)) throw new Error(`${file} has no longer the text ${text}`);
    return { ...loaded, source: source.replace(text, () => instead) };
  },
});
