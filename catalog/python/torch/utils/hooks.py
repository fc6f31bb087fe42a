class RemovableHandle:
    def remove(self):
        pass
