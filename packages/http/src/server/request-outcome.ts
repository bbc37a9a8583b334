/** What came of a request, in metrics. */
type RequestOutcome = 'success' | 'client_error' | 'error';

export function outcomeOf(status: number): RequestOutcome {
  if (status >= 500) return 'error';
  return status >= 400 ? 'client_error' : 'success';
}
