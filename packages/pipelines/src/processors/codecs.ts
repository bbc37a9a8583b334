import type { ComponentSpec } from '../component/component-spec.ts';
import { archive } from './archive.ts';
import { compress, decompress } from './compress.ts';
import { http } from './http.ts';
import { unarchive } from './unarchive.ts';

/** Processors that change the encoding of messages, or ask others to change them. */
export const codecProcessors: readonly ComponentSpec[] = [archive, compress, decompress, http, unarchive];
