import assert from 'node:assert/strict';
import type { ClusterMachine } from '../src/machine.ts';

/** A snapshot that a test begins now and reads later: it must have the state of its beginning. */
export class BegunSnapshot {
  #begun: { readonly saving: ReturnType<ClusterMachine['beginSave']>; readonly expected: Buffer } | undefined;

  begin(machine: ClusterMachine): void {
    this.finish();
    this.#begun = { expected: Buffer.concat(machine.save()), saving: machine.beginSave() };
  }

  finish(): void {
    if (this.#begun === undefined) return;
    const { saving, expected } = this.#begun;
    this.#begun = undefined;
    const saved = Buffer.concat([...saving.slices]);
    assert.ok(saved.equals(expected), 'the snapshot differs from the state at its start');
    saving.end();
  }
}
