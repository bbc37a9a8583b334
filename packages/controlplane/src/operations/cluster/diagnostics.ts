import type {
  ChangedDiagnostics,
  DiagnosticRecord,
  DiagnosticsStore,
  TransitionPlace,
} from '@weir/diagnostics';
import {
  describeCheck,
  listingsOf,
  MuteRefused,
  muteDiagnostic,
  transitionView,
  unmuteDiagnostic,
  viewOf,
} from '@weir/diagnostics';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { cursorOf, placeOf } from './cursors.ts';
import type { ClusterServices } from './services.ts';

export function diagnosticOperations({ diagnostics: store, onTransition }: ClusterServices) {
  const report = ({ transitions }: ChangedDiagnostics) => {
    for (const transition of transitions) if (!transition.isSilent) onTransition(transition);
  };
  return {
    list_diagnostics: async ({ virtual_cluster_id, state, severity }) => {
      const listings = listingsOf(await recordsOf(store, virtual_cluster_id));
      const diagnostics = listings.filter((one) => {
        if (severity !== undefined && one.severity !== severity) return false;
        if (state === 'failing') return !one.successful && !one.muted;
        return state === 'all' || one.muted;
      });
      return { diagnostics };
    },

    get_diagnostic: async ({ virtual_cluster_id, diagnostic_id }) => {
      const diagnostic = viewOf(await recordsOf(store, virtual_cluster_id), diagnostic_id);
      if (diagnostic === undefined) throw notThere(diagnostic_id);
      return { diagnostic: { ...diagnostic, groups: [...diagnostic.groups] } };
    },

    mute_diagnostic: async (input, { clock, actorName: by }) => {
      const { virtual_cluster_id: clusterId, diagnostic_id: name, until, reason = '' } = input;
      if (describeCheck(name) === undefined) throw notThere(name);
      const mute = {
        by,
        atMs: clock.nowMs(),
        untilMs: until === undefined ? null : Date.parse(until),
        reason,
      };
      try {
        report(await muteDiagnostic(store, { clusterId, name, mute }));
      } catch (error) {
        if (error instanceof MuteRefused) throw new OperationFailed('invalid_request', error.message);
        throw error;
      }
      return {};
    },

    unmute_diagnostic: async (input, { clock, actorName: by }) => {
      const { virtual_cluster_id: clusterId, diagnostic_id: name } = input;
      if (describeCheck(name) === undefined) throw notThere(name);
      report(await unmuteDiagnostic(store, { clusterId, name, by, atMs: clock.nowMs() }));
      return {};
    },

    list_diagnostic_history: async ({
      virtual_cluster_id: clusterId,
      diagnostic_id: name,
      limit,
      cursor,
    }) => {
      const after = cursor === undefined ? undefined : transitionPlaceOf(cursor);
      // One more than is shown shows whether there is another page.
      const found = await store.transitions({ clusterId, name, after, limit: limit + 1 });
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      return {
        transitions: shown.map(transitionView).filter((view) => view !== undefined),
        next_cursor: found.length > limit && last !== undefined ? transitionCursor(last) : null,
      };
    },
  } satisfies SomeHandlers;
}

async function recordsOf(store: DiagnosticsStore, clusterId: string): Promise<readonly DiagnosticRecord[]> {
  return (await store.load(clusterId)).map(({ record }) => record);
}

function notThere(name: string): OperationFailed {
  return new OperationFailed('not_found', `Unknown diagnostic ${name}.`);
}

/** The number of a transition precedes the name of its diagnostic. */
function transitionCursor({ atMs, name, number }: TransitionPlace): string {
  return cursorOf({ number: atMs, name: `${number} ${name}` });
}

function transitionPlaceOf(cursor: string): TransitionPlace {
  const { number: atMs, name: text } = placeOf(cursor);
  const [, number, name] = /^(\d{1,15}) ([a-z0-9_]{1,128})$/.exec(text) ?? [];
  if (number === undefined || name === undefined)
    throw new OperationFailed('invalid_request', 'cursor: is not a cursor of an earlier response');
  return { atMs, name, number: Number(number) };
}
