/** A runtime with pods in memory that a configuration can name. */
import { MemoryPods } from "./memory-pods.ts";

export class ContainedPods extends MemoryPods {
	override readonly hasHostFiles = false;

	/** Ignores the arguments of the platform. */
	constructor() {
		super();
	}
}
