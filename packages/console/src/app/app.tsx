import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { sessionEnded } from '../api/client.ts';
import { queryClient } from '../api/use-operation.ts';
import { Toasts } from '../ui/toasts.tsx';
import { router } from './router.ts';

export function App() {
  useEffect(() => {
    const goToSignIn = () =>
      void router.navigate({ to: '/sign-in', search: { return_to: placeToReturnTo() } });
    sessionEnded.addEventListener('ended', goToSignIn);
    return () => sessionEnded.removeEventListener('ended', goToSignIn);
  }, []);
  return (
    // Components that add styles of their own add none: the policy of the page allows only those of its files.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </CSPProvider>
  );
}

/** After signing in, the same page appears again. */
function placeToReturnTo(): string | undefined {
  const { pathname, searchStr, search } = router.state.location;
  if (pathname === '/sign-in') return (search as { return_to?: string }).return_to;
  return pathname + searchStr;
}
