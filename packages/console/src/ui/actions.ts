import type { CallOf, OperationName, OutputOf } from '@weir/api/client';
import { type ClusterOperation, useClusterId } from '../api/use-cluster.ts';
import { useAction } from '../api/use-operation.ts';
import { say, type ToastAction } from './toasts.tsx';

/** What to say of a success. */
type Said<Name extends OperationName> = string | ((output: OutputOf<Name>) => string);

const textOf = <Name extends OperationName>(said: Said<Name>, output: OutputOf<Name>) =>
  typeof said === 'string' ? said : said(output);

/** The action of a form or a dialog, which shows a failure itself. A success is said, and then the form is done. */
export function useFormAction<Name extends OperationName>(name: Name, onDone?: () => void) {
  const action = useAction(name);
  const run = (input: CallOf<Name>, said: Said<Name>, next?: ToastAction) =>
    action.mutate(input, {
      onSuccess: (output) => {
        say(textOf(said, output), 'ok', next);
        onDone?.();
      },
    });
  return { ...action, run };
}

/** The same for an operation on the cluster that the page is about. */
export function useClusterFormAction<Name extends ClusterOperation>(name: Name, onDone?: () => void) {
  const virtual_cluster_id = useClusterId();
  const { run, ...action } = useFormAction(name, onDone);
  return {
    ...action,
    run: (input: Omit<CallOf<Name>, 'virtual_cluster_id'>, said: Said<Name>, next?: ToastAction) =>
      run({ virtual_cluster_id, ...input } as unknown as CallOf<Name>, said, next),
  };
}

/** The action of a button: a success and a failure are both said. */
export function useButtonAction<Name extends OperationName>(name: Name) {
  const action = useAction(name);
  const run = (input: CallOf<Name>, said: Said<Name>) =>
    action.mutate(input, {
      onSuccess: (output) => say(textOf(said, output)),
      onError: ({ message }) => say(message, 'fail'),
    });
  return { ...action, run };
}
