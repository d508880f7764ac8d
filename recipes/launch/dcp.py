"""LoRA matrices of a prime-rl trainer checkpoint as one safetensors file: `python dcp.py TRAINER_FOLDER OUT`.

A file of its own because it needs torch, which our environment does not install: it also runs, by
its path, in prime-rl's. Reads the LoRA tensors only, on the CPU, in one process.
"""

import re
import sys
from pathlib import Path

import torch
import torch.distributed.checkpoint as dcp
from safetensors.torch import save_file
from torch.distributed.checkpoint.metadata import TensorStorageMetadata

KEY = re.compile(r"app\.model\.(.+)\.lora_([AB])\.0")
"""As `trainer/ckpt.py` nests it; prime-rl trains one adapter, number 0."""


def extract(trainer: Path) -> dict[str, torch.Tensor]:
    """`<module>.lora_A.weight` and `.lora_B.weight` of every adapted linear layer.

    Raises:
        SystemExit: the checkpoint holds none, or LoRA of experts, which is stored in another layout.
    """
    metadata = dcp.FileSystemReader(trainer).read_metadata().state_dict_metadata
    found = {key: match for key in metadata if (match := KEY.fullmatch(key))}
    others = [key for key in metadata if key.startswith("app.model.") and "lora_" in key and key not in found]
    if others:
        raise SystemExit(f"{others[0]} is LoRA of experts; take an adapter of broadcasts/ instead")
    if not found:
        raise SystemExit("it holds no LoRA tensors")
    state = {}
    for key in found:
        tensor = metadata[key]
        assert isinstance(tensor, TensorStorageMetadata), key
        state[key] = torch.empty(tensor.size, dtype=tensor.properties.dtype)
    dcp.load(state, checkpoint_id=trainer, no_dist=True)
    return {f"{match[1]}.lora_{match[2]}.weight": state[key] for key, match in found.items()}


if __name__ == "__main__":
    save_file(extract(Path(sys.argv[1])), sys.argv[2])
