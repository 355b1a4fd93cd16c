/** A place for pods that never answers, for tests of who has to wait for it. */
import type { PodRuntime } from "#services/pod-manager/pod-runtime.ts";

export class SilentPods implements PodRuntime {
	list = never;
	find = never;
	create = never;
	end = never;
	forget = never;
	purge = never;
	kept = never;
	unfinished = never;
	troubles = () => [];
	shortcomings = async () => [];
	watch = () => {};
}

function never(): Promise<never> {
	return new Promise(() => {});
}
