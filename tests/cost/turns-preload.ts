import { TurnWatch } from '@weir/core/testing';

/** Loaded into the process that is measured: reports the longest turn between two messages of its parent. */
const watch = new TurnWatch();
process.on('message', (message) => {
  if (message === 'start') {
    watch.start();
    process.send!({ kind: 'started' });
  } else if (message === 'stop') {
    process.send!({ kind: 'stopped', longestMs: watch.stop() });
  }
});
