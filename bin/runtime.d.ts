export const FLAGS: readonly string[];
export function isRuntime(version: string): boolean;
export function findRuntime(): Promise<string>;
export function cacheFolder(name: string): string;
export function startAgain(node: string, words: readonly string[]): void;
