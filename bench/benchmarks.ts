import type { Benchmark } from './benchmark.ts';
import { fetchEncode } from './fetch-encode.ts';
import { metadataDecode } from './metadata-decode.ts';
import { metadataScale } from './metadata-scale.ts';
import { produceDecode } from './produce-decode.ts';

export const benchmarks: readonly Benchmark[] = [produceDecode, metadataDecode, fetchEncode, metadataScale];
