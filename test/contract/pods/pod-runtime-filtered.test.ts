/**
 * The suite of runtimes, with a real engine behind its filter.
 * Night: it builds an image and starts some fifty containers.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { openContainers } from "../../support/containers/container-world.ts";
import { describePodRuntime } from "./pod-runtime.contract.ts";

describePodRuntime("containers behind a filter", () => openContainers({ isFiltered: true, warm: 1 }));
