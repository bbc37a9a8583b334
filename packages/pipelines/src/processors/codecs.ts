import type { ComponentSpec } from '../component/component-spec.ts';
import { http } from './http.ts';

/** Processors that change the encoding of messages, or ask others to change them. */
export const codecProcessors: readonly ComponentSpec[] = [http];
