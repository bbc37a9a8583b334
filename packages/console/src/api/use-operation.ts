import { keepPreviousData, QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CallOf, OperationName, OutputOf } from '@weir/api/client';
import { ApiError } from '@weir/api/client';
import { call } from './client.ts';

export interface ReadOptions {
  /** How often to read again while the page is seen. */
  readonly everyMs?: number;
  readonly isEnabled?: boolean;
}

const attemptsMax = 3;

/** Mistakes of the caller do not get better by trying again. */
const isWorthAnotherTry = (error: unknown): boolean => error instanceof ApiError && error.status >= 500;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < attemptsMax && isWorthAnotherTry(error),
    },
  },
});

/** Begins to read what a page needs while its script is on the way. The page finds the answer, or waits for it. */
export function readAhead<Name extends OperationName>(name: Name, input: CallOf<Name>): void {
  void queryClient.prefetchQuery({
    queryKey: [name, input],
    queryFn: ({ signal }): Promise<OutputOf<Name>> => call(name, input, signal),
  });
}

/** Reads an operation, and keeps the previous answer on the page while the next is on its way. */
export function useOperation<Name extends OperationName>(
  name: Name,
  input: CallOf<Name>,
  { everyMs, isEnabled = true }: ReadOptions = {},
) {
  return useQuery({
    queryKey: [name, input],
    queryFn: ({ signal }): Promise<OutputOf<Name>> => call(name, input, signal),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  });
}

/** A change. What it may have changed is read again: all that the page shows. */
export function useAction<Name extends OperationName>(name: Name) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: CallOf<Name>): Promise<OutputOf<Name>> => call(name, input),
    onSettled: () => queries.invalidateQueries(),
  });
}
