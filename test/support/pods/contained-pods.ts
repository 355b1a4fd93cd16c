/** Pods in memory as a configuration names them. */
import { MemoryPods } from "./memory-pods.ts";

export class ContainedPods extends MemoryPods {
	/** Takes nothing of what the platform gives. */
	constructor() {
		super();
	}
}
