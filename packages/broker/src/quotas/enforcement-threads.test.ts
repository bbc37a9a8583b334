import { testWithServingThreads } from '../../testing/serving-threads.ts';

testWithServingThreads(2);
await import('./enforcement.test.ts');
