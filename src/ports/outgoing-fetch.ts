// Requests to services other than the providers of models: the provider of single sign-on, the collector of content,
// the credential services of the clouds.

/** A fetch that goes through the configured proxies. */
export type OutgoingFetch = (url: string, init: RequestInit) => Promise<Response>;
