/**
 * The suite of runtimes, with a real cluster and the image of sessions.
 * Night: the programs of a cluster take 5 to 15 minutes to build, and the suite builds an image and starts some thirty pods.
 */
import { openCluster } from "../../support/kubernetes/cluster/cluster-world.ts";
import { onOwnMachine } from "../../support/kubernetes/cluster/own-machine.ts";
import { describePodRuntime } from "./pod-runtime.contract.ts";

onOwnMachine(import.meta.filename, 1_800_000, () => describePodRuntime("a real cluster", openCluster, 90_000));
