/** A runtime that never answers, for tests of code that waits for it. */
import type { PodRuntime } from "#services/pod-manager/pod-runtime.ts";

export class SilentPods implements PodRuntime {
	readonly isolation = "none";
	readonly hasHostFiles = true;
	open = async () => [];
	close = async () => {};
	inventory = never;
	find = never;
	create = never;
	end = never;
	forget = never;
	purge = never;
	removeWorkspace = never;
	measureWorkspace = never;
	watch = () => {};
}

function never(): Promise<never> {
	return new Promise(() => {});
}
