/**
 * The suite of runtimes, with a real engine and the image of sessions.
 * Night: it builds an image and starts some fifty containers.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { openContainers } from "../../support/containers/container-world.ts";
import { describePodRuntime } from "./pod-runtime.contract.ts";

describePodRuntime("containers", () => openContainers());
describePodRuntime("containers that have waited", () => openContainers({ warm: 1 }));
