/** The identity `dev` for a cluster of the tests, whose processes and callers all run as one user on one machine. */
import { DevIdentity } from "#services/gateway/identity-providers/dev.ts";

/** The platform refuses the identity `dev` together with a bus; suites that use it run on a cluster with this one. */
export class DevOverBus extends DevIdentity {
	static override readonly forOneProcess: boolean = false;
}
